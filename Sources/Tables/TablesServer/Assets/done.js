"use strict";

const outcome = new URLSearchParams(location.hash.slice(1));
const token = outcome.get("token");
const failure = outcome.get("error");
const show = (name) => { document.getElementById(name).hidden = false; };

show(failure !== null ? "failed" : token !== null ? "done" : "nothing");

// The window that opened this one is told only after a press, and only if its page is of the origin that is named.
const send = document.getElementById("send");
if (send !== null && window.opener !== null && (failure !== null || token !== null)) {
    show("ask");
    send.addEventListener("click", () => {
        const message = failure !== null ? { error: failure } : { oauth: JSON.parse(token) };
        window.opener.postMessage({ type: "LoginCompleted", ...message }, send.dataset.origin);
        window.close();
    });
}
