import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Policies

/// An endpoint that programs call with a form and that returns JSON (RFC 6749 §3.2, §5).
struct ProgramRoute: AuthorityRoute {
    enum Answer {
        case ok(JSONValue)
        case created(JSONValue)
        /// A response with status 200 and no body.
        case done
    }

    typealias Call = @Sendable (TokenProtocol, ProgramRequest) async throws -> Answer

    static let calls: [(AuthorityEndpoint, Call)] = [
        (.token, { .ok(try await $0.token($1).json) }),
        (.pushedRequests, { .created(try await $0.push($1)) }),
        (.deviceAuthorization, { .ok(try await $0.authorizeDevice($1)) }),
        (
            .revocation,
            {
                try await $0.revoke($1)
                return .done
            }
        ),
        (.introspection, { .ok(try await $0.introspect($1)) }),
    ]

    let place: AuthorityPaths
    let door: ProgramEndpoints
    let endpoint: AuthorityEndpoint
    let call: Call

    var paths: [String] { place.paths(behindPolicy: endpoint.path) }
    var methods: [HTTPRequest.Method] { [.post] }
    var operation: RouteOperation? { endpoint.operation }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let policy = try place.policy(context, query: try request.query())
        let problems = ProgramProblems(door: door, policy: policy, request: request, context: context)
        return try await problems.answering {
            let page = CallingPage(request, place)
            let form: Form
            do {
                form = try await Self.form(request, context)
            } catch let error as OAuthError {
                let reader = try await door.programs.reader(page, at: endpoint)
                return try await problems.answering(reader: reader) { throw error }
            }
            let reader = try await door.programs.reader(page, client: form["client_id"], at: endpoint)
            return try await problems.answering(reader: reader) {
                let answer = try await call(
                    door.programs,
                    ProgramRequest(
                        policy: policy.description,
                        form: form,
                        authorization: request.headers.value(.authorization),
                        origin: door.origins.origin(request, context),
                        correlationID: CorrelationID(context.correlationID) ?? .random()
                    )
                )
                switch answer {
                case .ok(let json): return .program(.ok, json)
                case .created(let json): return .program(.created, json)
                case .done: return Response(status: .ok, headers: Response.programHeaders)
                }
            }
        }
    }

    /// Returns the parameters in the body, which must be a form, and ignores the query (RFC 6749 §3.2).
    static func form(_ request: Request, _ context: HTTPContext) async throws -> Form {
        guard request.isForm else {
            throw OAuthError.invalidRequest("the body must be application/x-www-form-urlencoded")
        }
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        return try Form(utf8: Array(body.readableBytesView))
    }
}

extension Response {
    /// The header fields that prevent caching of responses with tokens (RFC 6749 §5.1).
    static let programHeaders: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]

    static func program(_ status: HTTPResponse.Status, _ json: JSONValue, headers: HTTPFields = [:]) -> Response {
        var fields = programHeaders
        fields[.contentType] = "application/json"
        for field in headers { fields.append(field) }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name("Pragma") ?? .cacheControl
}
