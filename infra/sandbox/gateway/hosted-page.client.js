/** Tells a mistake before the form is sent; the gateway checks everything again. */
const form = document.getElementById("payment");
document.getElementById("mistakes")?.focus();

const CHECKS = {
  number: (text) => isCardNumber(text.replace(/[\s-]/g, "")) || "Enter the card number as it is on the card.",
  expiry: (text) => /^\s*(0[1-9]|1[0-2])\s*\/?\s*(20)?\d{2}\s*$/.test(text) || "Enter month and year, such as 07/30.",
  code: (text) => /^\d{3,4}$/.test(text) || "Enter the three or four digits of the security code.",
  holder: (text) => text.trim() !== "" || "Enter the name on the card.",
  phone: (text) => /^\+?\d{8,15}$/.test(text.replace(/[\s-]/g, "")) || "Enter your phone number with 8 to 15 digits.",
};

function isCardNumber(digits) {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Shows or takes back what is wrong with a field; true when nothing is. */
function check(input) {
  const verdict = CHECKS[input.name]?.(input.value) ?? true;
  const right = verdict === true;
  if (right) input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
  document.getElementById(`${input.id}-mistake`).textContent = right ? "" : verdict;
  return right;
}

form?.addEventListener("submit", (event) => {
  if (event.submitter?.value === "cancel") return;
  const wrong = [...form.querySelectorAll("input")].filter((input) => !check(input));
  if (wrong.length === 0) return;
  event.preventDefault();
  wrong[0].focus();
});

form?.addEventListener("change", (event) => {
  if (event.target.getAttribute("aria-invalid") === "true") check(event.target);
});
