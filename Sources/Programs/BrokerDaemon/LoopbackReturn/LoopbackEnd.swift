import OAuth

/// How to recognize the request with which a browser returns to a loopback address after a particular sign-in.
struct LoopbackEnd: Sendable {
    /// The accepted values of `Host` (RFC 9110 §7.2).
    let hosts: Set<String>
    /// The path, or `/` for an address without a path.
    let path: String
    /// The `state` of the sign-in (RFC 6749 §10.12), or `nil` if the port is only reserved.
    let state: Secret?

    init(_ address: LoopbackURI, port: UInt16, state: Secret?) {
        // A browser omits the default port of `http`.
        let usual: Set<String> = port == 80 ? [String(address.host)] : []
        hosts = usual.union(["\(address.host):\(port)"])
        path = address.path.isEmpty ? "/" : address.path
        self.state = state
    }
}
