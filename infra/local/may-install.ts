/**
 * Whether a program that is missing may be installed or downloaded here. The test runner forbids it outside CI: a contributor's machine stays as it is, and
 * the tests that need such a program are skipped.
 */
export function mayInstall(): boolean {
  return process.env["TEST_INSTALLS_NOTHING"] === undefined;
}
