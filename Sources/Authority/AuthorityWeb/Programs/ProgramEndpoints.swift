public import Authority

/// The authority's endpoints that programs call.
///
/// These endpoints accept forms and return JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule

    /// Creates the endpoints of one authority.
    ///
    /// `signIn` signs in the user that a client's assertion is about. If `signIn` is `nil`, the endpoints do not
    /// support assertions.
    public init(authority: Authority, origins: OriginRule, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
