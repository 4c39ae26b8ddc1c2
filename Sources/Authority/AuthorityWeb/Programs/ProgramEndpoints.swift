public import Authority

/// The authority's endpoints for programs, which take forms and return JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule

    /// Creates the endpoints of one authority.
    ///
    /// `signIn` signs in users with assertions. If it is `nil`, the endpoints do not support assertions.
    public init(authority: Authority, origins: OriginRule, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
