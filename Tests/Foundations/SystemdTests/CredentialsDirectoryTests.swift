import Foundation
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CredentialsDirectoryTests {
    @Test("a credential is found by its name, and nothing outside the folder is") func paths() throws {
        let folder = try TemporaryFolder()
        try Data("k".utf8).write(to: folder.url.appendingPathComponent("cache-key"))
        let credentials = CredentialsDirectory(environment: ["CREDENTIALS_DIRECTORY": folder.url.path])
        #expect(credentials.path(of: "cache-key") == folder.path("cache-key"))
        #expect(credentials.path(of: "authority-key") == nil)
        #expect(credentials.path(of: "../etc/passwd") == nil)
        #expect(credentials.path(of: "..") == nil)
        #expect(CredentialsDirectory(environment: [:]).path(of: "cache-key") == nil)
    }
}
