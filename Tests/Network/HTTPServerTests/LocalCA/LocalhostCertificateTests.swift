import Foundation
import HTTPServer
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LocalhostCertificateTests {
    private let folder: TemporaryFolder
    private let directory: StateDirectory
    private let now = Date()

    init() throws {
        folder = try TemporaryFolder()
        directory = try StateDirectory(folder.path("state"))
    }

    /// The exit status of `openssl` and what it said.
    private func openssl(_ words: String...) throws -> BuiltProgram.Outcome {
        try BuiltProgram(path: "/usr/bin/openssl").run(words, environment: ["PATH": "/usr/bin:/bin"])
    }

    private func days(_ count: Double) -> Date { now.addingTimeInterval(count * 86400) }

    @Test("it is made once, private, and stays")
    func kept() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        #expect(made.isNew && made.name.hasPrefix("Tokenbroker local CA "))
        let bytes = try directory.readPrivateFile("localhost.pem", limit: 16384)
        let again = try LocalhostCertificate(in: directory, now: days(700))
        #expect(!again.isNew && again.name == made.name && again.authority == made.authority)
        #expect(try directory.readPrivateFile("localhost.pem", limit: 16384) == bytes)
    }

    @Test("whoever trusts the CA trusts localhost by it, and no other name", arguments: ["localhost", "example.org"])
    func names(_ name: String) throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let words = ["verify", "-purpose", "sslserver", "-CAfile", made.authority, "-verify_hostname", name, made.file]
        let outcome = try BuiltProgram(path: "/usr/bin/openssl").run(words, environment: ["PATH": "/usr/bin:/bin"])
        #expect((outcome.status == 0) == (name == "localhost"), "\(outcome.output)\(outcome.errors)")
        let shown = try openssl("x509", "-in", made.authority, "-noout", "-text").output
        #expect(shown.contains("DNS:localhost") && shown.contains("IP:127.0.0.0/255.0.0.0"), "\(shown)")
        #expect(shown.contains("Path Length Constraint: 0") || shown.contains("pathlen:0"), "\(shown)")
    }

    @Test("the key of the CA is nowhere, and the file of the CA has none")
    func keys() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let pair = try String(contentsOfFile: made.file, encoding: .utf8)
        #expect(pair.components(separatedBy: "PRIVATE KEY").count == 3)
        #expect(try !String(contentsOfFile: made.authority, encoding: .utf8).contains("PRIVATE KEY"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names == ["local-ca.pem", "localhost.pem"])
    }

    @Test("one whose end is near gives way to another, of another CA")
    func renewed() throws {
        let first = try LocalhostCertificate(in: directory, now: now)
        let second = try LocalhostCertificate(in: directory, now: days(800))
        #expect(second.isNew && second.name != first.name)
        let shown = try openssl("x509", "-in", second.authority, "-noout", "-subject").output
        #expect(shown.contains(second.name), "\(shown)")
    }

    @Test("the CA is put back where people look for it")
    func published() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: made.authority))
        try FileManager.default.removeItem(atPath: made.authority)
        #expect(try !LocalhostCertificate(in: directory, now: now).isNew)
        #expect(try Data(contentsOf: URL(fileURLWithPath: made.authority)) == bytes)
    }

    @Test("a file that is something else is refused, and stays")
    func foreign() throws {
        try directory.makePrivateFile("localhost.pem", Array("mine".utf8))
        let error = #expect(throws: StoreError.self) { try LocalhostCertificate(in: directory, now: now) }
        #expect(error?.code == .unreadable && error?.message.contains("move it away") == true)
        #expect(try directory.readPrivateFile("localhost.pem") == Data("mine".utf8))
    }

    @Test("a key that others can read is refused")
    func readable() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: made.file)
        let error = #expect(throws: StoreError.self) { try LocalhostCertificate(in: directory, now: now) }
        #expect(error?.code == .permissions)
    }
}
