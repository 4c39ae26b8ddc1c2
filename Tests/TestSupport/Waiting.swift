import Glibc

/// A test waited in vain.
public struct WaitedInVain: Error, CustomStringConvertible {
    /// The sentence that the test fails with.
    public let description: String
}

/// Blocks the thread until something holds, and fails the test where it does not within `limit`; asks every millisecond.
///
/// - Parameters:
///   - what: Ends the sentence "it did not happen that …".
///   - limit: Generous: nothing is measured by it.
///   - holds: Asked again and again.
/// - Throws: ``WaitedInVain``, or what `holds` throws.
public func blockUntil(_ what: String, within limit: Duration = .seconds(45), _ holds: () throws -> Bool) throws {
    let end = ContinuousClock.now + limit
    while try !holds() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "it did not happen that \(what)") }
        usleep(1000)
    }
}

/// Waits until something holds, as ``blockUntil(_:within:_:)`` does, letting other tasks run.
public func waitUntil(
    _ what: String,
    within limit: Duration = .seconds(45),
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "it did not happen that \(what)") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
