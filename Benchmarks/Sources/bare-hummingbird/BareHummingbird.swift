import Hummingbird

/// A minimal server with the framework and linkage of the daemons, as a baseline for startup time and throughput.
@main
struct BareHummingbird {
    static func main() async throws {
        let router = Router()
        router.get("/healthz") { _, _ in "ok\n" }
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8421
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }
}
