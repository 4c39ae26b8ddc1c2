import Foundation
import ProgramConfiguration
import Providers

/// The finding about the mail server: it is spoken to, but nobody logs in and no mail is sent.
enum MailServerFinding {
    static func of(_ configured: MailSettings.Server) async -> Finding {
        let server = MailServer(
            host: configured.host,
            port: configured.port,
            requiresTLS: configured.startTLS,
            username: configured.username
        )
        let client = SMTPClient(
            server: server,
            certificates: ProcessInfo.processInfo.environment["SSL_CERT_FILE"]
        ) { nil }
        do {
            try await client.probe()
            return Finding(.good, "the mail server \(server) answers\(configured.startTLS ? ", with TLS" : "")")
        } catch {
            let advice =
                switch error.code {
                case .untrusted:
                    "the server must offer STARTTLS with a certificate of the name in `mail.host` that this machine trusts"
                default: "look at `mail.host` and `mail.port`, and at the way there; mails wait and are tried again"
                }
            return Finding(.bad, "no mail can be sent: \(error.description)", advice)
        }
    }
}
