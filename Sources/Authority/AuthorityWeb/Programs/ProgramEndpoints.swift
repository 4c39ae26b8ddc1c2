public import Authority
public import Logging
import Systemd

/// The authority's endpoints that programs call, which accept forms and return JSON.
public struct ProgramEndpoints: Sendable {
    let authority: Authority
    let programs: TokenProtocol
    let origins: OriginRule
    let refusals: RefusalLog

    /// Creates the endpoints of one authority, without support for assertions if `signIn` is `nil`.
    ///
    /// Rejected requests are logged to `logger`, with a limit per origin.
    public init(authority: Authority, origins: OriginRule, logger: Logger, signIn: AssertedSignIn.Run? = nil) {
        self.authority = authority
        refusals = RefusalLog(logger: logger)
        programs = signIn.map { authority.programs(signIn: $0) } ?? authority.programs
        self.origins = origins
    }
}
