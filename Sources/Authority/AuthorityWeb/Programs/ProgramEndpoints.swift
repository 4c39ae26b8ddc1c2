public import Authority

/// The authority's endpoints that programs call, which accept forms and return JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule

    /// Creates the endpoints of one authority, without support for assertions if `signIn` is `nil`.
    public init(authority: Authority, origins: OriginRule, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
