import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A listener's certificate.
///
/// It can be replaced at runtime. Open connections keep the previous certificate.
final class ServedCertificate: Sendable {
    private let files: TLSFiles
    private let context: Mutex<NIOSSLContext?>

    /// Creates a certificate from files, which are read at the first connection or at ``renew()``.
    init(_ files: TLSFiles) {
        self.files = files
        context = Mutex(nil)
    }

    /// Reloads the files.
    ///
    /// - Throws: An error if the files are not a certificate and its key. In that case, the previous certificate stays
    ///   in use.
    func renew() throws {
        let new = try NIOSSLContext(configuration: files.configuration())
        context.withLock { $0 = new }
    }

    /// Returns the TLS context for the next connection.
    func current() throws -> NIOSSLContext {
        if let context = context.withLock({ $0 }) { return context }
        try renew()
        return try current()
    }
}

/// Adds TLS to a connection's setup, with the current certificate.
struct SecureChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificate: ServedCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            let handler = NIOSSLServerHandler(context: try certificate.current())
            try channel.pipeline.syncOperations.addHandler(handler)
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// A certificate chain and its private key, as PEM files.
public struct TLSFiles: Hashable, Sendable {
    /// The path of the certificate chain, beginning with the server's certificate.
    public let certificate: String
    /// The path of the certificate's private key.
    public let privateKeyFile: String

    /// Creates a TLS configuration from files.
    public init(certificate: String, privateKeyFile: String) {
        self.certificate = certificate
        self.privateKeyFile = privateKeyFile
    }

    /// Returns a configuration for TLS 1.2 or later with these files.
    func configuration() throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: privateKeyFile, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}
