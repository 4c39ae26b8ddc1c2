public import Authority

/// The door for programs: the endpoints that take forms and answer JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule

    /// The door of one authority.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - origins: The rule by which a request's origin is told.
    ///   - signIn: Signs a person in by a statement; nil where nothing runs policies.
    public init(authority: Authority, origins: OriginRule, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
