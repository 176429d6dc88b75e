// Tells the platform, which has opened this page to register Quadrille, that it may close it.
(window.opener ?? window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
