import AuthorityStore
import Deliveries
import Foundation
import Logging
import Mail
import Moments
import OutgoingHTTP
import Policies
import ProgramConfiguration
import Systemd

extension MailDispatcher {
    init(
        _ mail: MailSettings,
        trustedLoopback: Set<UInt16>,
        _ store: AuthorityStore,
        _ clock: MomentClock,
        _ wiring: Wiring
    ) throws(StartFailure) {
        let logger = wiring.log.logger("mail")
        if let server = mail.server {
            let client = try SMTPClient(server, trustedLoopback)
            self.init(store: store, server: client, from: mail.from, clock: clock, logger: logger)
            return
        }
        let folder: MailFolder
        do {
            folder = try MailFolder(directory: mail.folder(wiring.stateDirectory))
        } catch {
            throw StartFailure(error.description)
        }
        if mail.staysInFolder {
            logger.warning(
                "mail is written into a folder; use this transport only for development",
                metadata: ["folder": "\(folder.directory)"]
            )
        }
        self.init(store: store, folder: folder, from: mail.from, clock: clock, logger: logger)
    }
}

extension SMTPClient {
    /// Creates the mail client, or throws an error if the password for the mail server cannot be read.
    fileprivate init(_ server: MailSettings.Server, _ trustedLoopback: Set<UInt16>) throws(StartFailure) {
        do throws(PasswordFile.Fault) {
            _ = try server.passwordFile?.read()
        } catch {
            throw StartFailure("`mail.passwordFile`: \(error)")
        }
        self.init(
            server: MailServer(
                host: server.host,
                port: server.port,
                requiresTLS: server.startTLS,
                username: server.username
            ),
            certificates: TrustedAuthorities.file,
            trustedLoopback: trustedLoopback
        ) { () throws(MailError) in
            do throws(PasswordFile.Fault) {
                return try server.passwordFile?.read()
            } catch {
                throw MailError.unusable("\(error)")
            }
        }
    }
}
