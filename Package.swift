// swift-tools-version: 6.2

import PackageDescription

/// The Swift settings of all targets.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The linker settings of `tokenbroker` in an installation (`make release`).
///
/// A caller that requests a token waits for this process to start. Loading shared libraries would take half of that time,
/// so the executable is static. With `-static-pie`, which gold does not support, its address in memory still differs each
/// time. Such an executable must not contain a library path, or the C library ends it before `main`. Use these settings
/// only with `swift build --disable-local-rpath`.
let standalone: [LinkerSetting] =
    Context.environment["TOKENBROKER_STANDALONE"] == "1"
    ? [
        .unsafeFlags(
            ["-static-executable", "-use-ld=lld", "-Xclang-linker", "-static-pie"],
            .when(platforms: [.linux], configuration: .release)
        )
    ] : []

/// The linker settings of `tokenbroker-programs` in an installation.
///
/// Its 156,000 relocations would be 3.7 MB to read at each start. Packed (glibc 2.36), they are 31 kB. No library looks up
/// symbols of the executable, so it exports none.
let carrying: [LinkerSetting] =
    Context.environment["TOKENBROKER_STANDALONE"] == "1"
    ? [
        .unsafeFlags(
            ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic"],
            .when(platforms: [.linux], configuration: .release)
        )
    ] : []

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioFoundation: Target.Dependency = .product(name: "NIOFoundationCompat", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioExtras: Target.Dependency = .product(name: "NIOExtras", package: "swift-nio-extras")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// Creates a library target for one subject, with the targets that it may import (`docs/architecture.md`).
///
/// `embedded` lists the folders whose files are embedded in the program. `exclude` lists the folders that are not built.
func library(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    embedded: [String] = [],
    exclude: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: [crypto, logging, metrics, "Files", "Moments"] + dependencies,
        exclude: exclude,
        resources: embedded.map { .embedInCode($0) },
        swiftSettings: settings
    )
}

/// Creates a library's test target, with the library's dependencies and additional ones.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.init(stringLiteral: name), "TestSupport", "Moments"] + dependencies,
        swiftSettings: settings
    )
}

/// Returns the targets of one wing, with their paths and the dependencies that test targets inherit.
///
/// The paths are `Sources/<wing>/<target>` and `Tests/<wing>/<target>Tests` (`docs/architecture.md`).
func wing(_ name: String, _ targets: [Target]) -> [Target] {
    for target in targets {
        target.path = "\(target.type == .test ? "Tests" : "Sources")/\(name)/\(target.name)"
        let tested = targets.first { target.type == .test && target.name == $0.name + "Tests" }
        let inherited = (tested?.dependencies ?? []).filter {
            !target.dependencies.map(String.init(describing:)).contains("\($0)")
        }
        target.dependencies += inherited
    }
    return targets
}

let package = Package(
    name: "tokenbroker",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "BrokerClient", targets: ["BrokerClient"]),
        .library(name: "TablesClient", targets: ["TablesClient", "Tables", "OAuth"]),
        .library(name: "OfflineTables", targets: ["OfflineTables", "TablesClient", "Tables", "Storage", "OAuth"]),
        .executable(name: "tokenbroker", targets: ["tokenbroker"]),
        .executable(name: "tokenbroker-programs", targets: ["tokenbroker-programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        wing(
            "Foundations",
            [
                .target(name: "Moments", swiftSettings: settings),
                .target(name: "Files", dependencies: ["CLinux"], swiftSettings: settings),
                .target(name: "CLinux"),
                library("Spelling"),
                library("Origins"),
                library("OAuth"),
                library("Tokens", ["OAuth", "CLibcrypto"]),
                .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
                library("StrictYAML", ["Spelling", yams]),
                library("QRCode"),
                library("Systemd", ["CLinux", "Origins"]),
                library("FlowModel", ["OAuth", "Origins"]),
                .target(name: "CTexts"),
                library("Localization", ["FlowModel", "CTexts"], exclude: ["Texts"]),
                library(
                    "Policies",
                    ["OAuth", "Spelling", "FlowModel", "StrictYAML", "Localization", asn1],
                    embedded: ["Shipped"]
                ),
                .testTarget(name: "MomentsTests", dependencies: ["Moments"], swiftSettings: settings),
                tests("Spelling"),
                tests("Origins"),
                tests("OAuth"),
                tests("Tokens", [jwtKit]),
                tests("StrictYAML"),
                tests("QRCode"),
                tests("Systemd"),
                tests("FlowModel"),
                tests("Localization", ["OAuth"]),
                tests("Policies"),
            ]
        ),
        wing(
            "Storage",
            [
                library("Storage", ["OAuth", "FlowModel"]),
                library("StoreRefusals", ["FlowModel", "Storage"]),
                library("DurableSQLite", ["OAuth", "FlowModel", "Storage", grdb, grdbSQLite]),
                library("AuthorityStore", ["OAuth", "Origins", "FlowModel", "Storage", "DurableSQLite", grdb]),
                tests("Storage", ["Localization"]),
                tests("StoreRefusals", ["Localization"]),
                tests("DurableSQLite"),
                tests("AuthorityStore"),
            ]
        ),
        wing(
            "Network",
            [
                library(
                    "HTTPServer",
                    [
                        "OAuth", "Origins", "FlowModel", "Systemd", "OutgoingHTTP", hummingbird, hummingbirdCore,
                        httpTypes, nioCore, nioPosix,
                        nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioExtras, nioSSL, lifecycle, "Storage", x509, asn1,
                    ]
                ),
                library(
                    "OutgoingHTTP",
                    [
                        "OAuth", "FlowModel", "Systemd", httpClient, nioCore, nioHTTP1, nioPosix, nioSSL, x509, asn1,
                    ]
                ),
                library(
                    "RemoteKeys",
                    [
                        "OAuth", "Origins", "Tokens", "Systemd", "OutgoingHTTP", httpClient, nioCore, nioFoundation,
                        nioHTTP1,
                    ]
                ),
                library(
                    "OpenIDClient",
                    ["OAuth", "FlowModel", "Tokens", "OutgoingHTTP", httpClient, nioCore, nioFoundation, nioHTTP1]
                ),
                library("Mail", ["OAuth", "OutgoingHTTP", "Systemd", nioCore, nioPosix, nioSSL, nioTLS]),
                tests("HTTPServer", ["Origins", nioEmbedded, httpClient]),
                tests("OutgoingHTTP", [nioEmbedded]),
                tests("RemoteKeys", ["HTTPServer", "LocalIssuer"]),
                tests("OpenIDClient", ["HTTPServer", "LocalIssuer"]),
                tests("Mail", [nioEmbedded]),
            ]
        ),
        wing(
            "SignIn",
            [
                library("Credentials", ["OAuth", "CArgon2", nioPosix]),
                .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
                library("Attempts", ["OAuth", "Origins", "FlowModel", "Storage", "AuthorityStore", "Policies"]),
                library(
                    "CustomIdentity",
                    [
                        "OAuth", "FlowModel", "Policies", "Tokens", "OpenIDClient", "OutgoingHTTP", httpClient, nioCore,
                        nioFoundation, nioHTTP1,
                    ]
                ),
                library(
                    "Flows",
                    [
                        "OAuth", "Origins", "FlowModel", "Localization", "OpenIDClient", "CustomIdentity",
                        "Credentials", "Policies", "Attempts", "Storage", "StoreRefusals", "AuthorityStore",
                    ]
                ),
                tests("Credentials"),
                tests("Attempts"),
                tests("CustomIdentity", ["LocalIssuer", "HTTPServer", hummingbird, httpTypes, nioPosix, lifecycle]),
                tests("Flows", ["AuthorityFixture"]),
            ]
        ),
        wing(
            "Authority",
            [
                library(
                    "Authority",
                    [
                        "OAuth", "FlowModel", "Localization", "Tokens", "Policies", "Attempts", "Storage",
                        "StoreRefusals", "AuthorityStore",
                    ]
                ),
                library(
                    "Administration",
                    [
                        "OAuth", "FlowModel", "Tokens", "Policies", "Attempts", "Storage", "StoreRefusals",
                        "AuthorityStore", "Authority",
                    ]
                ),
                library(
                    "HostedPages",
                    ["OAuth", "FlowModel", "Policies", "Localization", "QRCode", mustache],
                    embedded: ["Templates", "Assets"]
                ),
                library(
                    "AuthorityWeb",
                    [
                        "OAuth", "FlowModel", "Policies", "Authority", "Flows", "Localization", "HostedPages",
                        "HTTPServer", "Systemd", "Origins", hummingbird, httpTypes, nioCore, logging, "OpenIDClient",
                        "StoreRefusals", "AuthorityStore",
                    ]
                ),
                library(
                    "Deliveries",
                    [
                        "OAuth", "Mail", "Storage", "AuthorityStore", "Authority", "OutgoingHTTP", httpClient, nioCore,
                        nioHTTP1,
                    ]
                ),
                tests("Authority", ["AuthorityFixture"]),
                tests("Administration", ["AuthorityFixture", "Localization"]),
                tests("HostedPages", ["PageSamples"]),
                tests("AuthorityWeb", ["AuthorityFixture", "AuthorityWebFixture", "Credentials", "LocalIssuer"]),
                tests(
                    "Deliveries",
                    [
                        "AuthorityFixture", "DurableSQLite", "FlowModel", "Policies", "HTTPServer", hummingbird,
                        httpTypes, nioPosix, lifecycle, grdb,
                    ]
                ),
            ]
        ),
        wing(
            "Broker",
            [
                library("TokenCache", ["OAuth", "Storage", "DurableSQLite", grdb]),
                library(
                    "Broker",
                    [
                        "OAuth", "FlowModel", "OpenIDClient", "Credentials", "Policies", "Attempts", "Flows",
                        "Authority", "Storage", "StoreRefusals", "TokenCache",
                    ]
                ),
                library("BrokerAPI", ["OAuth", "FlowModel", "Localization", nioCore]),
                library(
                    "BrokerRPC",
                    [
                        "BrokerAPI", "OAuth", "FlowModel", "Administration", "Flows", "Authority", "Broker", "Systemd",
                        nioCore, nioPosix, lifecycle,
                    ]
                ),
                library("BrokerClient", ["BrokerAPI", "OAuth", "FlowModel", "Systemd", nioCore, nioPosix]),
                tests("TokenCache"),
                tests(
                    "Broker",
                    [
                        "Administration", "AuthorityFixture", "AuthorityStore", "DurableSQLite", "HTTPServer",
                        "LocalIssuer", "Localization", grdb,
                    ]
                ),
                tests("BrokerAPI"),
                tests("BrokerRPC", ["AuthorityFixture", "AuthorityStore", "Localization"]),
                tests("BrokerClient", ["AuthorityFixture", "Broker", "BrokerRPC", "Localization"]),
            ]
        ),
        wing(
            "Tables",
            [
                library("Tables", ["Spelling", "FlowModel"]),
                library("TablesSQL", ["Spelling", "FlowModel", "Tables"]),
                library("TablesSQLite", ["CLinux", "Tables", "TablesSQL", grdb, grdbSQLite]),
                library(
                    "TablesStore",
                    ["Tables", "TablesSQL", "TablesSQLite", "Storage", "DurableSQLite", grdb, grdbSQLite]
                ),
                library(
                    "TablesServer",
                    [
                        "Tables", "TablesStore", "Storage", "OAuth", "Tokens", "RemoteKeys", "HTTPServer", hummingbird,
                        httpTypes, nioCore, nioHTTP1, "OutgoingHTTP", httpClient, "Origins", "FlowModel",
                        "Localization", "OpenIDClient",
                    ],
                    embedded: ["Assets"]
                ),
                library(
                    "TablesClient",
                    ["Tables", "OAuth", "FlowModel", "OutgoingHTTP", httpClient, nioCore, nioHTTP1]
                ),
                library(
                    "OfflineTables",
                    [
                        "OAuth", "FlowModel", "Spelling", "Tables", "TablesSQL", "TablesSQLite", "TablesClient",
                        "Storage", "DurableSQLite", grdb, grdbSQLite,
                    ]
                ),
                tests("Tables", ["Localization"]),
                tests("TablesSQL", [grdb]),
                tests("TablesSQLite"),
                tests("TablesStore"),
                tests("TablesServer", ["LocalIssuer", nioPosix, nioSSL, lifecycle]),
                tests("TablesClient", ["HTTPServer", "Localization", hummingbird, httpTypes, nioPosix, lifecycle]),
                tests(
                    "OfflineTables",
                    [
                        "TablesStore", "TablesServer", "RemoteKeys", "HTTPServer", "LocalIssuer", "Localization",
                        hummingbird, httpTypes, nioCore,
                    ]
                ),
            ]
        ),
        wing(
            "Programs",
            [
                library(
                    "ProgramConfiguration",
                    [
                        "OAuth", "Spelling", "StrictYAML", "Systemd", "Origins", "FlowModel", "Policies", "Tables",
                        "Tokens", "OutgoingHTTP",
                    ]
                ),
                library("ServiceHost", ["Systemd", lifecycle, unixSignals]),
                library(
                    "Terminal",
                    [
                        "Spelling", "BrokerClient", "BrokerAPI", "OAuth", "FlowModel", "Localization", "QRCode",
                        "Policies", "Systemd", arguments, nioCore, nioPosix,
                    ]
                ),
                library(
                    "BrokerDaemon",
                    [
                        "OAuth", "StrictYAML", "ProgramConfiguration", "Tokens", "Credentials", "Policies", "FlowModel",
                        "Localization",
                        "Storage", "AuthorityStore", "TokenCache", "Attempts", "Mail", "OpenIDClient", "Flows",
                        "Authority", "Administration", "Broker", "HTTPServer", "AuthorityWeb", "Deliveries",
                        "OutgoingHTTP", "CustomIdentity", "BrokerRPC", "ServiceHost", "Systemd", arguments, lifecycle,
                        nioCore, nioPosix, crypto, metrics,
                    ]
                ),
                library(
                    "BrokerCommands",
                    [
                        "BrokerClient", "BrokerAPI", "OAuth", "FlowModel", "StrictYAML", "ProgramConfiguration",
                        "Policies", "Localization", "Mail", "OpenIDClient", "Systemd", "Terminal", arguments,
                        "OutgoingHTTP", httpClient, nioCore, nioHTTP1, nioPosix,
                    ]
                ),
                library(
                    "TasksDaemon",
                    [
                        "OAuth", "StrictYAML", "ProgramConfiguration", "RemoteKeys", "Tables", "Storage", "TablesStore",
                        "TablesServer", "HTTPServer", "ServiceHost", "Systemd", arguments, lifecycle, nioPosix, metrics,
                    ]
                ),
                library(
                    "TasksCommands",
                    [
                        "BrokerClient", "BrokerAPI", "FlowModel", "OAuth", "ProgramConfiguration", "Policies", "Tables",
                        "TablesClient", "OfflineTables", "Storage", "Terminal", arguments,
                    ]
                ),
                .executableTarget(
                    name: "tokenbroker",
                    dependencies: ["CLinux", "Files"],
                    swiftSettings: settings,
                    linkerSettings: standalone
                ),
                .executableTarget(
                    name: "tokenbroker-programs",
                    dependencies: ["Files", "BrokerDaemon", "BrokerCommands", "TasksDaemon", "TasksCommands"],
                    swiftSettings: settings,
                    linkerSettings: carrying
                ),
                tests("ProgramConfiguration"),
                tests("BrokerDaemon", [nioEmbedded]),
                tests("ServiceHost"),
                tests("Terminal", [nioEmbedded]),
                tests("tokenbroker", ["tokenbroker-programs", "BrokerCommands", "OAuth", "Terminal"]),
                .testTarget(
                    name: "tasksTests",
                    dependencies: [
                        "TestSupport", "tokenbroker-programs", "TasksCommands", "FlowModel", "Localization", "OAuth",
                        "Storage", "Tables", "TablesClient", "Terminal", "Moments", arguments,
                    ],
                    swiftSettings: settings
                ),
                .testTarget(
                    name: "tasksdTests",
                    dependencies: [
                        "TestSupport", "tokenbroker-programs", "Moments", "OAuth", "Tokens", "Tables", "TablesClient",
                        "HTTPServer", "LocalIssuer", "example-tables", grdb, httpClient, nioCore, nioHTTP1, crypto,
                    ],
                    swiftSettings: settings
                ),
            ]
        ),
        [
            .executableTarget(
                name: "example-tables",
                dependencies: ["OAuth", "Tables", "TablesClient"],
                path: "Examples/example-tables",
                swiftSettings: settings
            ),
            .executableTarget(
                name: "example-bearer-token",
                dependencies: ["BrokerAPI", "BrokerClient", "FlowModel", "OAuth", httpClient, nioCore, nioHTTP1],
                path: "Examples/example-bearer-token",
                swiftSettings: settings
            ),
            .executableTarget(
                name: "example-pin-handler",
                dependencies: ["BrokerAPI", "BrokerClient", "FlowModel", "OAuth"],
                path: "Examples/example-pin-handler",
                swiftSettings: settings
            ),
            .executableTarget(
                name: "example-realm-handler",
                dependencies: ["BrokerAPI", "BrokerClient", "FlowModel", "OAuth"],
                path: "Examples/example-realm-handler",
                swiftSettings: settings
            ),
            .target(
                name: "TestSupport",
                dependencies: ["DurableSQLite", "Moments", crypto, grdb, lifecycle, logging],
                path: "Tests/TestSupport",
                swiftSettings: settings
            ),
            .target(
                name: "AuthorityFixture",
                dependencies: [
                    "TestSupport", "Moments", "OAuth", "FlowModel", "Policies", "Credentials", "Attempts",
                    "AuthorityStore", "Flows", "Authority", "Administration", "Broker", "TokenCache", logging,
                ],
                path: "Tests/AuthorityFixture",
                swiftSettings: settings
            ),
            .target(
                name: "AuthorityWebFixture",
                dependencies: [
                    "Authority", "AuthorityFixture", "AuthorityWeb", "Flows", "HTTPServer", "Systemd", hummingbird,
                    httpTypes, nioCore, logging,
                ],
                path: "Tests/AuthorityWebFixture",
                swiftSettings: settings
            ),
            .target(
                name: "LocalIssuer",
                dependencies: [
                    "TestSupport", "Moments", "OAuth", "Tokens", "HTTPServer", hummingbird, httpTypes, nioCore,
                    nioPosix, lifecycle, logging, asn1,
                ],
                path: "Tests/LocalIssuer",
                swiftSettings: settings
            ),
            .target(
                name: "PageSamples",
                dependencies: ["OAuth", "FlowModel", "Policies", "Localization", "HostedPages"],
                path: "Tests/PageSamples",
                swiftSettings: settings
            ),
            .executableTarget(
                name: "page-samples",
                dependencies: ["FlowModel", "HostedPages", "PageSamples", "Localization", "TablesServer"],
                path: "Tests/page-samples",
                swiftSettings: settings
            ),
            .testTarget(
                name: "CompatibilityTests",
                dependencies: [
                    "TestSupport", "LocalIssuer", "tokenbroker-programs", "OAuth", "Tokens", "HTTPServer", hummingbird,
                    httpTypes, nioCore, nioPosix, logging,
                ],
                path: "Tests/Compatibility",
                exclude: ["README.md"],
                swiftSettings: settings
            ),
            .testTarget(
                name: "ConformanceTests",
                dependencies: [
                    "TestSupport", "AuthorityFixture", "AuthorityWebFixture", "OAuth", "FlowModel", "Tokens",
                    "Policies", "AuthorityStore", "Authority", "Moments", httpTypes, crypto,
                ],
                path: "Tests/Conformance",
                swiftSettings: settings
            ),
            .testTarget(
                name: "EndToEndTests",
                dependencies: [
                    "TestSupport", "tokenbroker", "tokenbroker-programs", "OAuth", "FlowModel", "Attempts", "Authority",
                    "AuthorityStore", "Credentials", "Moments", "Policies", "Storage", "LocalIssuer", "HTTPServer",
                    "TablesClient", "TokenCache", "Tokens", crypto, grdb, logging, httpClient, nioCore, nioHTTP1,
                    nioSSL,
                ],
                swiftSettings: settings
            ),
        ],
    ].flatMap { $0 }
)

/// The dependencies of the fuzz targets.
let fuzzed: [Target.Dependency] = [
    "AuthorityWeb", "CustomIdentity", "FlowModel", "BrokerAPI", "Moments", "OAuth", "OpenIDClient", "Origins",
    "Policies",
    "StrictYAML", "Tables",
    "TablesClient", "TablesServer", "TasksCommands", "Tokens", hummingbird, httpTypes, nioCore,
]

// `scripts/fuzz` builds the fuzz targets as a program with the libFuzzer runtime, whose path is in this variable. In all
// other builds they are part of a test that checks the files of their corpora.
if let runtime = Context.environment["TOKENBROKER_FUZZ"] {
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: ["CFuzzer"] + fuzzed,
            path: "Tests/FuzzTests",
            exclude: ["Corpus", "CorpusTests.swift", "MutationTests.swift"],
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-Xlinker", runtime, "-Xlinker", "-lstdc++"])]
        ),
    ]
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests",
            dependencies: fuzzed,
            exclude: ["Corpus", "Driver"],
            swiftSettings: settings
        )
    )
}
