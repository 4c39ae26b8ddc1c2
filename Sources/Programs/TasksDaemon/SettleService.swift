import ServiceLifecycle
import TablesStore

/// Empties the database's write-ahead log soon after writes have gone quiet.
struct SettleService: Service, CustomStringConvertible {
    /// Time between two looks.
    static let interval = Duration.seconds(1)

    let store: @Sendable () -> TablesStore

    var description: String { "settling" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if !Task.isCancelled { await store().settle() }
            }
        }
    }
}
