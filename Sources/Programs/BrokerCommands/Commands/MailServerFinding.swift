import Foundation
import Mail
import ProgramConfiguration

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
            return Finding(.good, .mailServer(name: "\(server)", isSecure: configured.startTLS))
        } catch {
            let advice: DoctorText =
                switch error.code {
                case .untrusted: .startTLS
                default: .lookAtMailServer
                }
            return Finding(.bad, .noMail(error.description), advice)
        }
    }
}
