/// The socket's methods, in the order of `rpc.discover`; `Handlers` says what serves each.
enum MethodTable {
    /// All methods: a method can be called if and only if it is listed here.
    static let methods: [Method] = Array(
        [service, accounts, tokens, flows, checks, records, authorities, operators].joined()
    )
}
