public import Authority

/// The authority's endpoints for programs, which take forms and return JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule

    /// Creates the endpoints of one authority.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - origins: Determines the origin of a request.
    ///   - signIn: Signs in a user with an assertion, or `nil` if these endpoints cannot run policies.
    public init(authority: Authority, origins: OriginRule, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
