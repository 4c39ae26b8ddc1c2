import Foundation
import OAuth
public import Policies
import StrictYAML

/// Transport of mail.
public struct MailSettings: Hashable, Sendable {
    /// The mail server that mails are handed to.
    public struct Server: Hashable, Sendable {
        /// Its name or address.
        public let host: String
        /// Its port.
        public let port: Int
        /// True if nothing is sent without TLS.
        public let startTLS: Bool
        /// User who logs in; nil without a login.
        public let username: String?
        /// File with that user's password.
        public let passwordFile: PasswordFile?
    }

    /// Sender of mails.
    public let from: String
    /// True if another program sends the mails of the folder; else they are read there.
    private let isSent: Bool
    /// The folder that each mail is written into, if the file names one.
    private let directory: String?
    /// The server that mails are handed to instead of being written into a folder.
    public let server: Server?

    /// True if mails are not sent, so that people read them in the folder.
    public var staysInFolder: Bool { !isSent && server == nil }

    /// The folder that each mail is written into.
    public func folder(_ stateDirectory: String) -> String {
        directory ?? "\(stateDirectory)/\(isSent ? "mail" : "outbox")"
    }

    /// The folder in which people read their mails; nil if mails are sent.
    public func folderToRead(_ stateDirectory: String) -> String? {
        staysInFolder ? folder(stateDirectory) : nil
    }

    init(_ value: YAMLValue, folder: String, problems: inout [Problem]) {
        from = value["from"].text
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
            if let fault = given.fault {
                problems.append(value["passwordFile"].problem("`mail.passwordFile`: \(given.path) \(fault)"))
            }
        }
        if host.isEmpty {
            problems.append(value["transport"].problem("`mail.host` is missing: `smtp` hands mails to a server"))
        }
        for (one, other) in [("username", "passwordFile"), ("passwordFile", "username")]
        where value[one].isPresent && !value[other].isPresent {
            problems.append(value[one].problem("`mail.\(other)` is missing: a login has both"))
        }
        if !startTLS, !host.isEmpty, !Loopback.contains(host: host) {
            problems.append(
                username == nil
                    ? value["startTLS"].warning(
                        "`mail.startTLS` is false, so everybody on the way to \(host) can read codes"
                    )
                    : value["startTLS"].problem(
                        "`mail.startTLS` is false, so the password would travel readable to \(host)"
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
