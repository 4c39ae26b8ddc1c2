import Logging
import ServiceHost
import ServiceLifecycle
import Synchronization
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WatchdogTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("the watchdog is notified by a daemon that responds", .timeLimit(.minutes(1))) func answers() async throws {
        let folder = try TemporaryFolder()
        let manager = NotifySocket(folder.path("notify"))
        let running = Task { try await host(manager, answers: {}).run([Endless()]) {} }
        #expect(manager.receives("READY=1"))
        #expect(manager.receives("WATCHDOG=1"))
        #expect(manager.receives("WATCHDOG=1"))
        running.cancel()
        _ = await running.result
    }

    @Test("the watchdog is not notified by a daemon that is stuck", .timeLimit(.minutes(1))) func stuck()
        async throws
    {
        let folder = try TemporaryFolder()
        let manager = NotifySocket(folder.path("notify"))
        let (stuck, hasStuck) = AsyncStream.makeStream(of: Void.self)
        let calls = Atomic(0)
        let running = Task {
            let host = host(manager) {
                guard calls.add(1, ordering: .relaxed).newValue == 3 else { return }
                hasStuck.finish()
                try? await gracefulShutdown()
            }
            try await host.run([Endless()]) {}
        }
        // The daemon never completes its third response, so it sends exactly two notifications.
        for await _ in stuck {}
        #expect(manager.receives("WATCHDOG=1"))
        #expect(manager.receives("WATCHDOG=1"))
        #expect(!manager.receives("WATCHDOG=1", within: 0))
        running.cancel()
        _ = await running.result
    }

    private func host(_ manager: NotifySocket, answers: @escaping @Sendable () async -> Void) -> ServiceHost {
        let environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "20000"]
        return ServiceHost(
            notifier: ServiceNotifier(environment: environment),
            logger: logger,
            answers: answers,
            reload: {}
        )
    }
}

/// A service that runs until it is stopped.
private struct Endless: Service {
    func run() async throws {
        try? await gracefulShutdown()
    }
}
