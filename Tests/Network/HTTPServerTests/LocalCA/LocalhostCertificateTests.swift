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

    /// Runs `openssl`, and returns its exit status and its output.
    private func openssl(_ words: String...) throws -> BuiltProgram.Outcome { try openssl(words) }

    private func openssl(_ words: [String]) throws -> BuiltProgram.Outcome {
        try BuiltProgram(path: "/usr/bin/openssl").run(words, environment: ["PATH": "/usr/bin:/bin"])
    }

    private func days(_ count: Double) -> Date { now.addingTimeInterval(count * 86400) }

    @Test("the certificate is created once, is private, and is reused")
    func kept() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        #expect(made.isNew && made.name.hasPrefix("Tokenbroker local CA "))
        let bytes = try directory.readPrivateFile("localhost.pem", limit: 16384)
        let again = try LocalhostCertificate(in: directory, now: days(700))
        #expect(!again.isNew && again.name == made.name && again.authority == made.authority)
        #expect(try directory.readPrivateFile("localhost.pem", limit: 16384) == bytes)
    }

    @Test("a client that trusts the CA trusts localhost, and no other name", arguments: ["localhost", "example.org"])
    func names(_ name: String) throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let words = ["verify", "-purpose", "sslserver", "-CAfile", made.authority, "-verify_hostname", name, made.file]
        let outcome = try BuiltProgram(path: "/usr/bin/openssl").run(words, environment: ["PATH": "/usr/bin:/bin"])
        #expect((outcome.status == 0) == (name == "localhost"), "\(outcome.output)\(outcome.errors)")
        let shown = try openssl("x509", "-in", made.authority, "-noout", "-text").output
        let constraints = shown.components(separatedBy: "Name Constraints: critical").last ?? ""
        let lines = constraints.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        // BoringSSL rejects certificates with constraints on IP addresses.
        #expect(lines.prefix(2) == ["Permitted:", "DNS:localhost"], "\(shown)")
        #expect(!constraints.contains("IP:") && !constraints.contains("Excluded"), "\(shown)")
        #expect(shown.contains("Path Length Constraint: 0") || shown.contains("pathlen:0"), "\(shown)")
    }

    @Test("the key of the CA is not stored, and the CA's file contains no key")
    func keys() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let pair = try String(contentsOfFile: made.file, encoding: .utf8)
        #expect(pair.components(separatedBy: "PRIVATE KEY").count == 3)
        #expect(try !String(contentsOfFile: made.authority, encoding: .utf8).contains("PRIVATE KEY"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names == ["local-ca.pem", "localhost.pem"])
    }

    @Test("a certificate close to its expiry is replaced, with a new CA")
    func renewed() throws {
        let first = try LocalhostCertificate(in: directory, now: now)
        let second = try LocalhostCertificate(in: directory, now: days(800))
        #expect(second.isNew && second.name != first.name)
        let shown = try openssl("x509", "-in", second.authority, "-noout", "-subject").output
        #expect(shown.contains(second.name), "\(shown)")
    }

    @Test(
        "a certificate whose CA limits IP addresses is replaced, and one whose CA limits only host names is not",
        arguments: [(",permitted;IP:127.0.0.1/255.255.255.255", true), ("", false)]
    )
    func addresses(_ constraint: String, _ isReplaced: Bool) throws {
        let (key, old) = (folder.path("old-key.pem"), folder.path("old.pem"))
        let subject = ["-subj", "/CN=Tokenbroker local CA old", "-days", "800"]
        let extensions = ["-addext", "nameConstraints=critical,permitted;DNS:localhost\(constraint)"]
        let request = ["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        let made = try openssl(request + subject + extensions + ["-keyout", key, "-out", old])
        try #require(made.status == 0, "\(made.errors)")
        let pem = try [key, old].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try directory.makePrivateFile("localhost.pem", Array(pem.utf8))
        let certificate = try LocalhostCertificate(in: directory, now: now)
        #expect(certificate.isNew == isReplaced)
        #expect((certificate.name != "Tokenbroker local CA old") == isReplaced)
        let shown = try openssl("x509", "-in", certificate.authority, "-noout", "-text").output
        #expect(shown.contains("DNS:localhost") && shown.contains(certificate.name), "\(shown)")
        #expect(!shown.contains("IP:"), "\(shown)")
    }

    @Test("a missing CA file is restored")
    func published() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: made.authority))
        try FileManager.default.removeItem(atPath: made.authority)
        #expect(try !LocalhostCertificate(in: directory, now: now).isNew)
        #expect(try Data(contentsOf: URL(fileURLWithPath: made.authority)) == bytes)
    }

    @Test("any other file at the path is rejected and preserved")
    func foreign() throws {
        try directory.makePrivateFile("localhost.pem", Array("mine".utf8))
        let error = #expect(throws: StoreError.self) { try LocalhostCertificate(in: directory, now: now) }
        #expect(error?.code == .unreadable && error?.message.contains("move it away") == true)
        #expect(try directory.readPrivateFile("localhost.pem") == Data("mine".utf8))
    }

    @Test("a key that other users can read is rejected")
    func readable() throws {
        let made = try LocalhostCertificate(in: directory, now: now)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: made.file)
        let error = #expect(throws: StoreError.self) { try LocalhostCertificate(in: directory, now: now) }
        #expect(error?.code == .permissions)
    }
}
