import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// The certificate of a listener, which can be replaced at runtime without affecting open connections.
final class ServedCertificate: Sendable {
    private let files: TLSFiles
    private let context: Mutex<NIOSSLContext?>

    /// Creates a certificate whose files are read when the certificate is first used or when ``renew()`` is called.
    init(_ files: TLSFiles) {
        self.files = files
        context = Mutex(nil)
    }

    /// Reloads the certificate files, or throws and keeps the previous certificate if the files are invalid.
    func renew() throws {
        let new = try NIOSSLContext(configuration: files.configuration())
        context.withLock { $0 = new }
    }

    func current() throws -> NIOSSLContext {
        if let context = context.withLock({ $0 }) { return context }
        try renew()
        return try current()
    }
}

/// Adds TLS with the current certificate to each new connection, before `base` sets up the connection.
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

/// The paths of the PEM files that contain a certificate chain and its private key.
public struct TLSFiles: Hashable, Sendable {
    /// The path of the file that contains the certificate chain, with the server's certificate first.
    public let certificate: String
    /// The path of the file that contains the certificate's private key.
    public let privateKeyFile: String

    /// Creates a pair of file paths without reading the files.
    public init(certificate: String, privateKeyFile: String) {
        self.certificate = certificate
        self.privateKeyFile = privateKeyFile
    }

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
