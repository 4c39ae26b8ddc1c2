import Logging
import StrictYAML
import Systemd

enum CommonShapes {
    static func listen(port: UInt16) -> Key {
        Key(
            "listen",
            .list(.text(Rules.address), count: 1...16),
            default: "[" + ListenEndpoint.standard(port: port).map { "\"\($0)\"" }.joined(separator: ", ") + "]",
            "The addresses of the HTTP server. Of the default, the daemon leaves out an address that the machine does not have. Ignored for sockets that systemd passes."
        )
    }

    static let tls = Key(
        "tls",
        .either([
            .choice(["none", "localCA"]),
            .object([
                Key(
                    required: "certificate",
                    .text(Rules.path),
                    "The certificate chain in PEM, the server's certificate first."
                ),
                Key(required: "privateKeyFile", .text(Rules.path), "The private key in PEM."),
            ]),
        ]),
        default: "none",
        "TLS for the HTTP server. A listener that other machines can reach requires it, unless `behindProxy` is set. `localCA` creates a certificate for localhost and its CA."
    )

    static let behindProxy = Key(
        "behindProxy",
        .boolean,
        default: "false",
        "Whether the daemon runs behind a proxy that terminates TLS."
    )

    static let trustedLoopback = Key(
        "trustedLoopback",
        .list(.integer(1...65_535), count: 0...64),
        default: "[]",
        "Loopback ports that the programs trust over http regardless of which process is listening there, such as a container's. Any local user can open a free port, so this setting trusts all local users."
    )

    static func trustedLoopback(_ outgoing: YAMLValue) -> Set<UInt16> {
        Set(outgoing["trustedLoopback"].items.compactMap { UInt16(exactly: $0.number) })
    }

    /// The `outgoing` key for programs that support neither proxies nor additional certificate authorities.
    static let outgoing = Key("outgoing", .object([trustedLoopback]), "Connections to other servers.")

    static let log = Key(
        "log",
        .object([
            Key(
                "level",
                .choice(of: Logger.Level.self),
                default: "info",
                "The lowest level that is logged."
            ),
            Key(
                "format",
                .choice(of: ServiceLog.Format.self),
                default: "journal",
                "The log format. If the journal does not read standard error, `journal` writes text with the time."
            ),
        ]),
        "The log on standard error."
    )

    static let metrics = Key(
        "metrics",
        .object([
            Key(
                "listen",
                .either([.choice(["none"]), .text(Rules.address)]),
                default: "none",
                "A separate address for `/metrics`. Loopback listeners without a proxy also serve it."
            )
        ]),
        "Measurements."
    )
}
