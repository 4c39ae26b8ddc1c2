public import FlowModel
public import OAuth

/// A request that a program sent to one of the HTTP endpoints, before validation.
public struct ProgramRequest: Sendable {
    /// The policy's name, which is case-insensitive.
    public let policy: String
    /// The parameters in the request body.
    public let form: Form
    /// The value of the `Authorization` header field, or `nil` if the field is absent.
    public let authorization: String?
    /// The origin of the request, by which authentication failures are counted.
    public let origin: Origin
    /// The id that identifies the request in the response, the log and the audit events.
    public let correlationID: CorrelationID

    /// Creates a request.
    public init(
        policy: String,
        form: Form,
        authorization: String? = nil,
        origin: Origin,
        correlationID: CorrelationID
    ) {
        self.policy = policy
        self.form = form
        self.authorization = authorization
        self.origin = origin
        self.correlationID = correlationID
    }

    /// Returns the value of a parameter, or throws `invalid_request` if the parameter is missing.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = form[name] else {
            throw .b2c(.invalidRequest, 90083, "the parameter \(name) is missing")
        }
        return value
    }

    /// Returns the requested scopes as the client spelled them, or throws `invalid_scope` if `scope` is malformed.
    func scopes() throws(OAuthError) -> [String] {
        do throws(OAuthError) {
            return try Scope.list(form["scope"] ?? "").map(\.name)
        } catch {
            throw .b2c(.invalidScope, 99005, "scope is not a list of scopes", detail: error.description)
        }
    }

    func caller(_ owner: Owner) -> Caller { Caller(owner: owner, origin: origin, correlationID: correlationID) }
}
