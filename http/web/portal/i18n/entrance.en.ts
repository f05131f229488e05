export const signIn = {
  title: "Sign in",
  lead: "to the merchant portal",
  submit: "Sign in",
  passkey: "Sign in with a passkey",
  or: "or",
  forgot: "Forgot your password?",
  passkeyFailed: "The passkey was not accepted, or you cancelled. Try again.",
  tagline: "Every payment of every terminal, as it happens.",
};

export const secondFactor = {
  title: "Second factor",
  lead: (email: string) => `Signing in as ${email}`,
  submit: "Continue",
  withPasskey: "Use a passkey",
  withRecovery: "Use a recovery code",
  withCode: "Use the authenticator app",
  other: "Use another account",
};

export const stepUp = {
  title: "Confirm it is you",
  text: "Enter your second factor again to make this change.",
  confirm: "Confirm",
  passkey: "Use a passkey",
};

export const enrol = {
  title: "Protect your account",
  lead: "Every user of the portal needs a second factor. You set it up once, in a minute.",
  app: "Authenticator app",
  passkey: "Passkey",
  step1: "Scan this code with your authenticator app",
  step1Hint: "You can use any app for time-based codes.",
  qrAlt: "QR code for the authenticator app; the same key is below as text",
  cannotScan: "Or enter this key in the app",
  step2: "Enter the code that the app shows",
  confirm: "Confirm",
  passkeyText: "Use your fingerprint, face or device PIN, or a security key. There is nothing to type, and it resists phishing.",
  passkeyName: "Name of the passkey",
  passkeyNameHint: "So that you recognise it later, such as “Work laptop”.",
  passkeyDefault: "My device",
  addPasskey: "Create a passkey",
  passkeyFailed: "No passkey was created, because you cancelled. Try again.",
};

export const recovery = {
  title: "Save your recovery codes",
  text: "If you lose your phone or passkey, you can sign in with one of these codes. Each works once. They are shown only now.",
  copy: "Copy",
  download: "Download",
  print: "Print",
  saved: "I have saved them in a safe place",
  done: "Continue",
  fileName: "recovery-codes.txt",
  fileHead: (email: string) => `Recovery codes of the merchant portal for ${email}`,
  list: "Recovery codes",
};

export const invitation = {
  title: "You have been invited",
  lead: (merchant: string, role: string) => `${merchant} invites you as ${role}.`,
  newAccount: "Choose a password for your new account.",
  hasAccount: "You already have an account. Enter its password to accept.",
  until: (time: string) => `This invitation expires on ${time}.`,
  submit: "Accept the invitation",
  goneTitle: "This invitation is no longer valid",
  goneText: "It was used or withdrawn, or has expired. Ask the person who invited you to send it again.",
  missing: "Open the link in the e-mail again: the address of this page no longer contains it.",
  toSignIn: "Go to sign-in",
};

export const forgot = {
  title: "Reset your password",
  lead: "Enter your e-mail address. If it has an account, we will send you a link.",
  submit: "Send the link",
  sentTitle: "Check your e-mail",
  sentText: (email: string) => `If ${email} has an account, you will get a link. It works once, for one hour.`,
  back: "Back to sign-in",
};

export const reset = {
  title: "Choose a new password",
  lead: "This ends all your sessions. Your second factor does not change.",
  submit: "Set the password",
  done: "The password is changed. Sign in with the new one.",
  goneTitle: "This link is no longer valid",
  goneText: "It was already used or has expired. Request a new one.",
  again: "Request a new link",
};
