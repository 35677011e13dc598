// Renders a chart by Go's own templates, with the functions of Helm's that it uses, where no helm is installed:
// go run main.go TEMPLATES < {"Values", "Release", "Chart"}
package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

func functions(templates *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := templates.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"nindent": func(spaces int, text string) string {
			indent := "\n" + strings.Repeat(" ", spaces)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"quote": func(value any) string { return strconv.Quote(fmt.Sprint(value)) },
		"default": func(other, value any) any {
			if value == nil || value == "" {
				return other
			}
			return value
		},
		"required": func(message string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"toJson": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
	}
}

func main() {
	templates := template.New("chart").Option("missingkey=error")
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	if err != nil {
		log.Fatal(err)
	}
	template.Must(templates.Funcs(functions(templates)).ParseFiles(files...))
	var data map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&data); err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".yaml" {
			continue
		}
		fmt.Println("---")
		if err := templates.ExecuteTemplate(os.Stdout, filepath.Base(file), data); err != nil {
			log.Fatal(err)
		}
	}
}
