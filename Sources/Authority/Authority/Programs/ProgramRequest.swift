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

    /// Refuses parameters that are there twice (RFC 6749 §3.2); `resource` may be (RFC 8707 §2).
    func requireSingle() throws(OAuthError) {
        guard let name = form.repeated.first(where: { $0 != "resource" }) else { return }
        // A name is repeated only if it is one of OAuth's, so that nothing foreign reaches a log or a terminal.
        let shown = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
        throw .invalidRequest(shown ? "the parameter \(name) is there twice" : "a parameter is there twice")
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
