import ServiceLifecycle
import Systemd

/// Hands memory back to the kernel after a flood of large answers, which malloc would keep for the next one.
struct MemoryService: Service, CustomStringConvertible {
    /// Time between two looks.
    static let interval = Duration.seconds(5)
    /// Growth in bytes since the last look that found nothing to do, from which on there is.
    static let growth = 16 << 20

    var description: String { "memory" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = MemoryWatch(growth: Self.growth)
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if !Task.isCancelled { watch.look() }
            }
        }
    }
}
