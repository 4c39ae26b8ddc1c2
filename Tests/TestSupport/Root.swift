import Glibc

/// The error of a test that requires root but does not run as root.
public struct NeedsRoot: Error, CustomStringConvertible {
    /// The message of the failed test.
    public let description: String
}

/// Throws an error unless the test runs as root.
///
/// `reason` completes the message "this test needs root: it …".
public func requireRoot(_ reason: String) throws {
    guard geteuid() == 0 else { throw NeedsRoot(description: "this test needs root: it \(reason)") }
}
