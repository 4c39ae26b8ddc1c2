import Foundation
import Policies
import StrictYAML
import TestSupport
import Testing

/// Tests the list of files that policies refer to, which is needed to copy a policy folder.
@Suite(.timeLimit(.minutes(1)))
struct NamedFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("policies/own"), withIntermediateDirectories: true)
        try write("policies/checks.yaml", "checks: {UserLogin: {type: password}}\n")
    }

    private func write(_ name: String, _ text: String) throws {
        let made = FileManager.default.createFile(
            atPath: folder.path(name),
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        #expect(made)
    }

    private func load() -> (PolicyCatalogue?, [String]) {
        let (catalogue, problems) = PolicyCatalogue.load(folder: folder.path("policies"))
        return (catalogue, problems.map(\.description))
    }

    private let connectors = """
        kind: sign-up
        pages: {logo: logo.svg, background: ground.svg, template: page.html}
        connectors:
          beforeUserCreated: {url: "https://a.example/", auth: {kind: bearer, tokenFile: ../token}}
          beforeToken:
            url: "https://a.example/"
            auth: {kind: clientCertificate, certificateFile: own/cert.pem, privateKeyFile: ABSOLUTE}

        """

    @Test("a connector's certificate with a byte order mark is refused with the path of its file")
    func markedCertificate() throws {
        try write("policies/cert.pem", "\u{FEFF}-----BEGIN CERTIFICATE-----\n")
        try write("policies/key.pem", "x\n")
        let auth = "{kind: clientCertificate, certificateFile: cert.pem, privateKeyFile: key.pem}"
        let connector = "connectors: {beforeToken: {url: \"https://a.example/\", auth: \(auth)}}"
        try write("policies/b2c_1_x.yaml", "kind: sign-in\n\(connector)\n")
        let problem =
            "`connectors.beforeToken.auth.certificateFile`: \(folder.path("policies/cert.pem")) begins with a byte order mark"
        #expect(load().1.contains { $0.contains(problem) }, "\(load().1)")
    }

    @Test(
        "a catalogue lists the files that its policies refer to: images, templates, style sheets, certificates, secrets"
    )
    func named() throws {
        for name in ["logo.svg", "ground.svg", "other.svg"] {
            try write("policies/\(name)", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")
        }
        try write("policies/page.html", "<link rel=\"stylesheet\" href=\"page.css\"><div id=\"api\"></div>")
        try write("policies/page.css", "p { color: red }")
        for name in ["token", "policies/own/cert.pem", "key.pem"] { try write(name, "x\n") }
        try write(
            "policies/b2c_1_x.yaml",
            "# mentions other.svg\n" + connectors.replacing("ABSOLUTE", with: folder.path("key.pem"))
        )
        try write("policies/b2c_1_y.yaml", "extends: b2c_1_x\n")
        let (catalogue, problems) = load()
        #expect(problems.isEmpty, "\(problems)")
        let files = try #require(catalogue).namedFiles
        #expect(
            files.compactMap(\.name).sorted() == [
                "../token", "ground.svg", "logo.svg", "own/cert.pem", "page.css", "page.html",
            ]
        )
        #expect(files.filter { $0.name == nil }.map(\.path) == [folder.path("key.pem")])
        #expect(Dictionary(grouping: files) { $0.name == nil ? 0 : $0.levelsUp }.mapValues(\.count) == [0: 6, 1: 1])
        for file in files { #expect(FileManager.default.fileExists(atPath: file.path), "\(file)") }
    }

    @Test(
        "a missing file is reported by name",
        arguments: ["logo.svg", "page.css", "own/cert.pem", "../token"]
    )
    func missing(_ name: String) throws {
        try write("policies/logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")
        try write("policies/ground.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")
        try write("policies/page.html", "<link rel=\"stylesheet\" href=\"page.css\"><div id=\"api\"></div>")
        try write("policies/page.css", "p { color: red }")
        for name in ["token", "policies/own/cert.pem", "key.pem"] { try write(name, "x\n") }
        try write("policies/b2c_1_x.yaml", connectors.replacing("ABSOLUTE", with: folder.path("key.pem")))
        try FileManager.default.removeItem(atPath: folder.path("policies/" + name))
        let (catalogue, problems) = load()
        #expect(catalogue == nil && problems.count == 1)
        #expect(problems.first?.contains(name) == true, "\(problems)")
    }

    @Test(
        "what an editor adds to the file of a secret is a problem of the policy",
        arguments: [
            ("token", "\u{FEFF}x\n", "token begins with a byte order mark"),
            ("token", "x\u{A0}\n", "token begins or ends with a blank"),
            ("token", "x\r\n", "token contains a carriage return"),
            ("key.pem", "\u{FEFF}x\n", "key.pem begins with a byte order mark"),
        ]
    )
    func additions(_ name: String, _ text: String, _ problem: String) throws {
        try write("policies/logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")
        try write("policies/ground.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")
        try write("policies/page.html", "<div id=\"api\"></div>")
        for name in ["token", "policies/own/cert.pem", "key.pem"] { try write(name, "x\n") }
        try write("policies/b2c_1_x.yaml", connectors.replacing("ABSOLUTE", with: folder.path("key.pem")))
        try write(name, text)
        let (catalogue, problems) = load()
        #expect(catalogue == nil && problems.count == 1)
        #expect(problems.first?.contains(problem) == true, "\(problems)")
    }
}
