import ServiceLifecycle

/// A service of parts that may still be assembled when its group starts it.
struct WaitingService: Service, CustomStringConvertible {
    /// The name in the log.
    let description: String
    private let service: @Sendable () async throws -> any Service

    init(_ description: String, _ service: @escaping @Sendable () async throws -> any Service) {
        self.description = description
        self.service = service
    }

    func run() async throws { try await service().run() }
}
