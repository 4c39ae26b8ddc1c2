import AuthorityWeb
import AuthorityWebFixture
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import OAuth

/// The authority's routes, with the whole HTTP pipeline but no socket.
struct Door {
    static let correlationID = HTTPField.Name("client-request-id") ?? .date
    private let pipeline: HTTPPipeline

    init(base: String = "http://localhost:8420", problem: String? = nil, keysFailure: (any Error)? = nil) {
        let router = Router(context: HTTPContext.self)
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        let documents = AuthorityDocuments(
            metadata: { policy in
                guard policy == "b2c_1_sign_in" else { return nil }
                return ServerMetadata(issuer: "\(trimmed)/local/\(policy)/v2.0").json.bytes
            },
            keys: {
                if let keysFailure { throw keysFailure }
                return JSONValue.object(["keys": []]).bytes
            }
        )
        let health = Health(checks: [Health.Check("store") { problem }], metrics: PrometheusRegistry())
        AuthorityRoutes(base: base, tenant: "local", documents: documents, health: health).addRoutes(to: router)
        pipeline = HTTPPipeline(
            router: router,
            hosts: .any,
            errors: .oauth,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    struct Answer {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let json: JSONValue?
        /// The length of the body in bytes.
        let length: Int
    }

    func get(
        _ path: String,
        method: HTTPRequest.Method = .get,
        at address: ListenAddress = .tcp(host: "127.0.0.1", port: 8420)
    ) async throws -> Answer {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost:8420", path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = await pipeline.respond(to: request, at: address)
        let bytes = CollectedBody()
        try await response.body.write(bytes)
        return Answer(
            status: response.status,
            headers: response.headers,
            json: try? StrictJSON.parse(bytes.all),
            length: bytes.all.count
        )
    }
}
