import FlowModel
import Foundation
import Mail
import OutgoingHTTP
import ProgramConfiguration

/// Checks the mail server by connecting to it, without logging in or sending mail.
enum MailServerFinding {
    static func of(_ configured: MailSettings.Server, _ trustedLoopback: Set<UInt16>) async -> Finding {
        let server = MailServer(
            host: configured.host,
            port: configured.port,
            requiresTLS: configured.startTLS,
            username: configured.username
        )
        let client = SMTPClient(
            server: server,
            certificates: TrustedAuthorities.file,
            trustedLoopback: trustedLoopback
        ) { nil }
        do {
            try await client.probe()
            return .good(
                Text(configured.startTLS ? "cli.doctor.mailServer.tls" : "cli.doctor.mailServer", ["name": "\(server)"])
            )
        } catch {
            let advice: Text =
                switch error.code {
                case .untrusted: Text(configured.startTLS ? "cli.doctor.startTLS" : "cli.doctor.whoListens")
                default: Text("cli.doctor.lookAtMailServer")
                }
            let reason = error.failure?.said.text ?? Text(exactly: error.description)
            return .bad(Text("cli.doctor.noMail", ["reason": reason]), advice)
        }
    }
}
