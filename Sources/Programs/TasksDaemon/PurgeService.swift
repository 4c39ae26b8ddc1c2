import Logging
import Metrics
import ServiceLifecycle
import TablesStore

/// Forgets tombstones when their time is over.
struct PurgeService: Service, CustomStringConvertible {
    /// Time between two sweeps.
    static let interval = Duration.seconds(3600)

    let store: @Sendable () -> TablesStore
    let logger: Logger

    var description: String { "purge" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    let count = try await store().purge()
                    Counter(label: "tables_traces_forgotten").increment(by: count)
                    if count > 0 { logger.info("traces of deleted rows forgotten", metadata: ["count": "\(count)"]) }
                } catch {
                    logger.error("traces of deleted rows not forgotten", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
