/// The methods that can be called over the socket, in the order in which `rpc.discover` lists them.
enum MethodTable {
    static let methods: [Method] = Array(
        [service, accounts, tokens, flows, checks, records, authorities, operators].joined()
    )
}
