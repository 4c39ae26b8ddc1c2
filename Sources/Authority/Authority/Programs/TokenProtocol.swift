/// The endpoints of an authority for programs: a form comes in, a document goes out.
public struct TokenProtocol: Sendable {
    let authority: Authority
    /// Signs a person in by a statement; nil where nothing runs policies.
    let signIn: AssertedSignIn.Run?
}

extension Authority {
    /// The endpoints for programs, where nobody signs in by a statement.
    public var programs: TokenProtocol { TokenProtocol(authority: self, signIn: nil) }

    /// The endpoints for programs.
    ///
    /// - Parameter signIn: Signs a person in by a statement.
    /// - Returns: The endpoints.
    public func programs(signIn: @escaping AssertedSignIn.Run) -> TokenProtocol {
        TokenProtocol(authority: self, signIn: signIn)
    }

    /// The requests of devices.
    public var devices: Devices { Devices(authority: self) }
}
