import Hummingbird

/// The minimum that an HTTP server with the same framework and linkage does before its first response.
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
