/// The socket's methods, in the order in which `rpc.discover` lists them.
///
/// Their handlers are in the folder `Handlers`.
enum MethodTable {
    /// All methods.
    ///
    /// Methods that are not listed cannot be called.
    static let methods: [Method] = Array(
        [service, accounts, tokens, flows, checks, records, authorities, operators].joined()
    )
}
