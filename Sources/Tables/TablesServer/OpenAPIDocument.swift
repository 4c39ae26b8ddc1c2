import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Tables

/// The OpenAPI 3.1 document of the running server, generated from the router's routes and the table definitions.
struct OpenAPIDocument {
    static let path = "/openapi.json"

    let tables: [TableDeclaration]
    let routes: [Router<HTTPContext>.RouteDescription]

    var json: JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes {
            let path = Self.template(route.path.description)
            let method = route.method.rawValue.lowercased()
            guard path == Self.tablePath || path.hasPrefix("\(Self.tablePath)/") else {
                paths[path, default: [:]][method] = OpenAPIRoute.operation(route.method, path)
                continue
            }
            for table in tables {
                guard let operation = OpenAPITable(table: table).operation(route.method, path) else { continue }
                paths[path.replacing("{table}", with: table.name), default: [:]][method] = operation
            }
        }
        var schemas: [String: JSONValue] = ["error": OpenAPITable.error, "task": OpenAPIRoute.task]
        for table in tables {
            schemas[table.name] = OpenAPITable(table: table).row
            schemas["\(table.name).insert"] = OpenAPITable(table: table).draft(isInsert: true)
            schemas["\(table.name).update"] = OpenAPITable(table: table).draft(isInsert: false)
        }
        return [
            "openapi": "3.1.0", "info": ["title": "tasksd", "version": "2.0.0"],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": ["schemas": .object(schemas), "securitySchemes": Self.securitySchemes],
        ]
    }

    private static let tablePath = "/tables/{table}"

    /// Returns a route's path as an OpenAPI path template, in which `**` becomes `{rest}`.
    private static func template(_ path: String) -> String { path.replacing("/**", with: "/{rest}") }

    private static let securitySchemes: JSONValue = [
        "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
        "zumo": ["type": "apiKey", "in": "header", "name": "X-ZUMO-AUTH"],
        "application": ["type": "apiKey", "in": "header", "name": "X-ZUMO-APPLICATION"],
        "master": ["type": "apiKey", "in": "header", "name": "X-ZUMO-MASTER"],
    ]
}

enum OpenAPIPart {
    static let token: JSONValue = [["bearer": []], ["zumo": []]]

    static func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(schema)")] }

    static func answer(
        _ description: String,
        _ schema: JSONValue? = nil,
        _ type: String = "application/json"
    ) -> JSONValue {
        guard let schema else { return ["description": .string(description)] }
        return ["description": .string(description), "content": [type: ["schema": schema]]]
    }

    static func refusal(_ description: String) -> JSONValue { answer(description, reference("error")) }

    static func parameter(_ name: String, _ place: String, _ schema: JSONValue, _ description: String) -> JSONValue {
        [
            "name": .string(name), "in": .string(place), "required": .bool(place == "path"), "schema": schema,
            "description": .string(description),
        ]
    }
}
