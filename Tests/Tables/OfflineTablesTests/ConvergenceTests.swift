import Foundation
import TestSupport
import Testing

/// Tests that all devices and the server have the same rows at the end, and that no edit is lost.
///
/// An acknowledged edit is not lost if the row contains it, if a user who saw it replaced it, or if a conflict showed
/// it.
///
/// The environment variable `TOKENBROKER_SEEDS` sets the number of seeds. `TOKENBROKER_SEED` repeats a single seed that
/// failed.
@Suite(
    "All devices and the server converge, and no edit is lost",
    .timeLimit(.minutes(60))
)
struct ConvergenceTests {
    /// The seeds of this run.
    private static let seeds: ClosedRange<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["TOKENBROKER_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...max(environment["TOKENBROKER_SEEDS"].flatMap { UInt64($0) } ?? 20, 1)
    }()

    @Test("with random edits, losses, failures, restarts and decisions", arguments: seeds)
    func converge(_ seed: UInt64) async throws {
        print("offline sync model: seed \(seed)")
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let model = try SyncModel(folder.url.path, seed: seed)
        try await model.live()
        try await model.finish()
    }

    /// Uses only every tenth seed.
    @Test("the system kills the process in between", arguments: seeds.filter { $0 % 10 == 1 })
    func killed(_ seed: UInt64) async throws {
        print("offline sync model, killed: seed \(seed)")
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for life in 0..<UInt64(2) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [home = folder.url.path as String, seed = (seed << 8 | life) as UInt64] in
                try await SyncModel(home, seed: seed).liveUntilKilled()
            }
        }
        let model = try SyncModel(folder.url.path, seed: seed << 8 | 3)
        try await model.live()
        try await model.finish()
    }
}
