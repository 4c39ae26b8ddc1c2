import Foundation
import NIOSSL
import Synchronization

/// Certificate authorities for mail servers: read at the first use, because that takes a while, and kept.
final class SMTPTrust: Sendable {
    private let file: String?
    private let made = Mutex<NIOSSLContext?>(nil)

    /// - Parameter file: A PEM file of certificate authorities; nothing for those that this machine trusts.
    init(file: String?) {
        self.file = file
    }

    /// TLS 1.2 or later, with a certificate of the server's name (RFC 8314 §4.1, RFC 9525).
    func context() throws(MailError) -> NIOSSLContext {
        do {
            return try made.withLock { made in
                if let made { return made }
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.minimumTLSVersion = .tlsv12
                configuration.certificateVerification = .fullVerification
                if let file { configuration.trustRoots = .file(file) }
                let context = try NIOSSLContext(configuration: configuration)
                made = context
                return context
            }
        } catch {
            throw .unusable("the certificate authorities\(file.map { " of \($0)" } ?? "") cannot be read: \(error)")
        }
    }
}
