import Glibc

/// The error of a wait that timed out.
public struct WaitedInVain: Error, CustomStringConvertible {
    /// The message of the failed test.
    public let description: String
}

/// Blocks the thread until a condition holds, checking it every millisecond.
///
/// - Parameters:
///   - what: The end of the message "timed out waiting until …".
///   - limit: The time limit, which is generous and not part of what a test checks.
///   - holds: The condition.
/// - Throws: ``WaitedInVain`` if the limit expires, or the error of `holds`.
public func blockUntil(_ what: String, within limit: Duration = .seconds(45), _ holds: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    while try !holds() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "timed out waiting until \(what)") }
        usleep(1000)
    }
}

/// Waits until a condition holds, like ``blockUntil(_:within:_:)``, while other tasks run.
public func waitUntil(
    _ what: String,
    within limit: Duration = .seconds(45),
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "timed out waiting until \(what)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
