import AuthorityStore
import Deliveries
import Foundation
import Logging
import Mail
import Moments
import Policies
import ProgramConfiguration
import Systemd

extension MailDispatcher {
    /// Makes the dispatcher of the transport that the configuration names.
    init(
        _ mail: MailSettings,
        _ store: AuthorityStore,
        _ clock: MomentClock,
        _ wiring: Wiring
    ) throws(StartFailure) {
        let logger = wiring.log.logger("mail")
        if let server = mail.server {
            let client = try SMTPClient(server)
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
                "mail goes into a folder, which is for development",
                metadata: ["folder": "\(folder.directory)"]
            )
        }
        self.init(store: store, folder: folder, from: mail.from, clock: clock, logger: logger)
    }
}

extension SMTPClient {
    /// Makes the client of the server that the configuration names; an unreadable password is reported now, and not when
    /// the first mail waits.
    fileprivate init(_ server: MailSettings.Server) throws(StartFailure) {
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
            certificates: ProcessInfo.processInfo.environment["SSL_CERT_FILE"]
        ) { () throws(MailError) in
            do throws(PasswordFile.Fault) {
                return try server.passwordFile?.read()
            } catch {
                throw MailError.unusable("\(error)")
            }
        }
    }
}
