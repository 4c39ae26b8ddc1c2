import Glibc

/// A test needs root, and does not run as root.
public struct NeedsRoot: Error, CustomStringConvertible {
    /// The sentence that the test fails with.
    public let description: String
}

/// Fails a test that cannot do its work without root; `reason` ends the sentence "it needs root: it …".
public func requireRoot(_ reason: String) throws {
    guard geteuid() == 0 else { throw NeedsRoot(description: "this test needs root: it \(reason)") }
}
