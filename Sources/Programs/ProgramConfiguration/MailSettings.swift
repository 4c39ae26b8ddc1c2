import Foundation
import OAuth
public import Policies
import StrictYAML

/// The settings for sending mail.
public struct MailSettings: Hashable, Sendable {
    /// A mail server (`transport: smtp`).
    public struct Server: Hashable, Sendable {
        /// The host name or address.
        public let host: String
        /// The TCP port.
        public let port: Int
        /// Whether the connection to the mail server must use TLS.
        public let startTLS: Bool
        /// The user name for the mail server, or `nil` to send without authentication.
        public let username: String?
        /// The file with the password for ``username``, or `nil` to send without authentication.
        public let passwordFile: PasswordFile?
    }

    /// The sender address.
    public let from: String
    /// Whether a message that contains a code repeats the code in its subject.
    public let codeInSubject: Bool
    /// Whether another program sends the messages that are written into the folder (`transport: sendmail`).
    private let isSent: Bool
    /// The configured folder for messages, or `nil` for the default folder.
    private let directory: String?
    /// The mail server, or `nil` if messages are written into a folder.
    public let server: Server?

    /// Whether messages are not sent, but stay in a folder where users can read them.
    public var staysInFolder: Bool { !isSent && server == nil }

    /// Returns the folder for messages, which by default is in the state directory.
    public func folder(_ stateDirectory: String) -> String {
        directory ?? "\(stateDirectory)/\(isSent ? "mail" : "outbox")"
    }

    /// Returns the folder in which users read their mail, or `nil` if mail is sent.
    public func folderToRead(_ stateDirectory: String) -> String? {
        staysInFolder ? folder(stateDirectory) : nil
    }

    init(_ value: YAMLValue, folder: String, problems: inout [Problem]) {
        from = value["from"].text
        codeInSubject = value["codeInSubject"].flag
        let transport = value["transport"].text
        isSent = transport == "sendmail"
        directory = value["directory"].isPresent ? value["directory"].path(from: folder) : nil
        if transport == "smtp" {
            if value["directory"].isPresent {
                problems.append(value["directory"].warning("`mail.directory` has no effect with `transport: smtp`"))
            }
            server = Self.server(value, folder: folder, problems: &problems)
        } else {
            for key in ["host", "port", "startTLS", "username", "passwordFile"] where value[key].isPresent {
                problems.append(value[key].warning("`mail.\(key)` has no effect without `transport: smtp`"))
            }
            server = nil
        }
    }

    private static func server(_ value: YAMLValue, folder: String, problems: inout [Problem]) -> Server? {
        let host = value["host"].text
        let startTLS = value["startTLS"].optionalFlag ?? true
        let username = value["username"].optionalText
        var file: PasswordFile?
        if value["passwordFile"].isPresent {
            let given = PasswordFile(path: value["passwordFile"].path(from: folder))
            file = given
            do throws(PasswordFile.Fault) {
                try given.check()
            } catch {
                problems.append(value["passwordFile"].problem("`mail.passwordFile`: \(error)"))
            }
        }
        if host.isEmpty {
            problems.append(value["transport"].problem("`mail.host` is missing: `transport: smtp` needs a mail server"))
        }
        for (one, other) in [("username", "passwordFile"), ("passwordFile", "username")]
        where value[one].isPresent && !value[other].isPresent {
            problems.append(
                value[one].problem("`mail.\(other)` is missing: authentication needs a user name and a password")
            )
        }
        if !startTLS, !host.isEmpty, !Loopback.contains(host: host) {
            problems.append(
                username == nil
                    ? value["startTLS"].warning(
                        "`mail.startTLS` is false, so codes are sent unencrypted to \(host)"
                    )
                    : value["startTLS"].problem(
                        "`mail.startTLS` is false, so the password would be sent unencrypted to \(host)"
                    )
            )
        }
        return Server(
            host: host,
            port: value["port"].optionalNumber ?? 587,
            startTLS: startTLS,
            username: username,
            passwordFile: file
        )
    }
}
