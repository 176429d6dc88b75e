// Sends the form that brings something back to another site. Without this module its button does.
document.querySelector("form[data-send]").submit();
