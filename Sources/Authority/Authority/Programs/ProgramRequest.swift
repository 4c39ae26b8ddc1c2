public import FlowModel
public import OAuth

/// A request at one of the endpoints for programs, as it arrived.
public struct ProgramRequest: Sendable {
    /// The policy's name in any case.
    public let policy: String
    /// The body's parameters.
    public let form: Form
    /// The `Authorization` field.
    public let authorization: String?
    /// The place it came from, for which failures are counted.
    public let origin: Origin
    /// The id that answer, log and audit share.
    public let correlationID: CorrelationID

    /// A request as it arrived.
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

    /// A parameter that must be there.
    ///
    /// - Throws: `invalid_request`.
    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = form[name] else {
            throw .b2c(.invalidRequest, 90083, "the parameter \(name) is missing")
        }
        return value
    }

    /// The scopes that were asked for, as they were spelled.
    ///
    /// - Throws: `invalid_scope`.
    func scopes() throws(OAuthError) -> [String] {
        do throws(OAuthError) {
            return try Scope.list(form["scope"] ?? "").map(\.name)
        } catch {
            throw .b2c(.invalidScope, 99005, "scope is not a list of scopes", detail: error.description)
        }
    }

    /// The caller on behalf of an owner.
    func caller(_ owner: Owner) -> Caller { Caller(owner: owner, origin: origin, correlationID: correlationID) }
}
