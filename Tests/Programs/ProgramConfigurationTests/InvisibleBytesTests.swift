import Crypto
import Foundation
import Policies
import ProgramConfiguration
import StrictYAML
import TestSupport
import Testing

/// Tests files that editors write with a byte order mark, with CRLF or as UTF-16.
@Suite(.timeLimit(.minutes(1)))
struct InvisibleBytesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ name: String, _ bytes: Data) throws {
        let made = FileManager.default.createFile(
            atPath: folder.path(name),
            contents: bytes,
            attributes: [.posixPermissions: 0o600]
        )
        try #require(made)
    }

    private func broker(_ text: String) throws -> [String] {
        let node = try YAMLDocument.parse(text, file: "f")
        return BrokerConfiguration.read(node, folder: folder.url.path).1.map(\.description)
    }

    private func tasksd(_ text: String) throws -> [String] {
        let node = try YAMLDocument.parse(text, file: "f")
        let sockets = [AuthoritySocket(path: "/r/a.sock")]
        return TasksdConfiguration.read(node, folder: folder.url.path, authoritySockets: sockets).1.map(\.description)
    }

    private static let secret = "0123456789abcdef-0123456789abcdef"

    @Test(
        "what an editor adds to the file of a secret is a problem of the configuration",
        arguments: [
            ("\u{FEFF}", "\n", "begins with a byte order mark"), ("", "\r\n", "contains a carriage return"),
            ("\u{A0}", "\n", "begins or ends with a blank"), ("'", "'\n", "has quotation marks around the secret"),
        ]
    )
    func secrets(_ start: String, _ end: String, _ problem: String) throws {
        try write("secret", Data((start + Self.secret + end).utf8))
        let path = folder.path("secret")
        let mail = "mail: {transport: smtp, host: a.example, username: u, passwordFile: secret}"
        let client = "clients: {c: {type: confidential, secretFile: secret}}"
        let proxy = "outgoing: {proxy: \"http://p.example\", proxyUsername: u, proxyPasswordFile: secret}"
        let application = "applicationKeyFile: secret"
        for problems in [try broker(mail), try broker(client), try broker(proxy), try tasksd(application)] {
            #expect(problems.contains { $0.contains("\(path) \(problem)") }, "\(problems)")
            #expect(!problems.contains { $0.contains(Self.secret) })
        }
    }

    @Test("a private key in PEM may have CRLF, but no byte order mark") func privateKey() throws {
        let pem = P256.Signing.PrivateKey().pemRepresentation.replacing("\n", with: "\r\n")
        let text = "authorities: {c: {url: https://l.example, clientId: a, privateKeyFile: key.pem}}"
        try write("key.pem", Data(pem.utf8))
        #expect(try broker(text).filter { $0.contains("privateKeyFile") } == [])
        try write("key.pem", Data("\u{FEFF}\(pem)".utf8))
        #expect(try broker(text).contains { $0.contains("key.pem begins with a byte order mark") })
    }

    @Test(
        "a certificate or a key in PEM may have CRLF, but no byte order mark and no other encoding",
        arguments: ["tls.certificate", "tls.privateKeyFile", "outgoing.caFile"]
    )
    func certificates(_ key: String) throws {
        let parts = key.split(separator: ".")
        let text =
            parts[0] == "tls"
            ? "tls: {certificate: c.pem, privateKeyFile: k.pem}"
            : "outgoing: {caFile: ca.pem}"
        let pem = LocalCertificate.certificate
        let name = ["certificate": "c.pem", "privateKeyFile": "k.pem"][parts[1]] ?? "ca.pem"
        for (bytes, problem) in [
            (Data(pem.replacing("\n", with: "\r\n").utf8), nil),
            // A parser skips a certificate with the mark, and reads the second one.
            (Data("\u{FEFF}\(pem)\n\(pem)\n".utf8), "begins with a byte order mark"),
            (try #require(pem.data(using: .utf16)), "is UTF-16 or UTF-32"),
        ] as [(Data, String?)] {
            for other in ["c.pem", "k.pem", "ca.pem"] { try write(other, Data("\(pem)\n".utf8)) }
            try write(name, bytes)
            let problems = [try broker(text)] + (parts[0] == "tls" ? [try tasksd(text)] : [])
            for found in problems.map({ $0.filter { $0.contains(".pem") } }) {
                guard let problem else {
                    #expect(found == [])
                    continue
                }
                #expect(found.count == 1, "\(found)")
                #expect(found.first?.contains("`\(key)`: \(folder.path(name)) \(problem)") == true, "\(found)")
            }
        }
    }

    @Test("JSON files may begin with a byte order mark, and UTF-16 is refused by its name") func json() throws {
        let text = "tables: {t: {perUser: false, columns: {text: {type: string}}, seed: seed.json}}"
        let rows = "[{\"text\":\"a\"},\r\n{\"text\":\"b\"}]\r\n"
        try write("seed.json", Data("\u{FEFF}\(rows)".utf8))
        #expect(try tasksd(text).filter { $0.contains("seed") } == [])
        try write("seed.json", try #require(rows.data(using: .utf16)))
        #expect(try tasksd(text).contains { $0.contains("seed.json: is UTF-16; save it as UTF-8") })
        let keys = "{\"keys\":[{\"kty\":\"EC\",\"d\":\"x\"}]}"
        try write("keys.json", Data("\u{FEFF}\(keys)".utf8))
        let problems = try broker("clients: {c: {type: confidential, jwksFile: keys.json}}")
        #expect(problems.contains { $0.contains("contains a private key") }, "\(problems)")
    }
}
