const code = document.querySelector("input[data-digits]");
const hint = document.getElementById(code.id + "-sent");
const isComplete = () => new RegExp(`^\\d{${code.dataset.digits}}$`).test(code.value.replace(/\s/g, ""));
// A code that was already complete once is being corrected, so it is not submitted automatically again.
let wasComplete = isComplete();
code.addEventListener("focus", () => { wasComplete ||= isComplete(); });
code.addEventListener("input", () => {
    if (wasComplete || !isComplete()) return;
    wasComplete = true;
    // Tells the server to ignore the Enter key on the next page, because users often press it after the last digit.
    const mark = Object.assign(document.createElement("input"), { type: "hidden", name: "_atOnce", value: "true" });
    code.form.append(mark);
    code.form.requestSubmit();
});
hint.hidden = false;
code.setAttribute("aria-describedby", [code.getAttribute("aria-describedby"), hint.id].filter(Boolean).join(" "));
