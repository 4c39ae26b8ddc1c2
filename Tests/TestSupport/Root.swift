import Glibc

/// The error of a test that requires root but does not run as root.
public struct NeedsRoot: Error, CustomStringConvertible {
    /// The message of the failed test.
    public let description: String
}

/// Fails a test that requires root.
///
/// `reason` completes the sentence "it needs root: it …".
public func requireRoot(_ reason: String) throws {
    guard geteuid() == 0 else { throw NeedsRoot(description: "this test needs root: it \(reason)") }
}
