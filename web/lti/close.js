// Tells the platform that opened this page to register Quadrille that the page can be closed.
(window.opener ?? window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
